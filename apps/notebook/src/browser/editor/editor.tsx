console.log('editor');
